/**
 * Where this project is at home. package.json says so; every other file that holds an address is in `PLACES`.
 */
export interface Addresses {
	/** Of the repository, as people open it: without `.git`. */
	repository: string;
	/** Of the documentation. */
	homepage: string;
	email: string;
}

/** What a package.json has of them. */
export interface Manifest {
	homepage: string;
	bugs: string;
	repository: { url: string };
	author: { email: string };
}

/** An https address to which a path can be added: without a slash at the end, a query, a sign-in. */
function problemOfAddress(value: string): string | undefined {
	if (!URL.canParse(value)) return 'is no address';
	const { protocol, username, password, href } = new URL(value);
	if (protocol !== 'https:') return 'does not begin with https://';
	if (username || password) return 'has a user name in it';
	if (/[?#]/.test(value)) return 'has more than a path';
	if (value.endsWith('/')) return 'ends with a slash';
	// Browsers read it as something else, such as one with a blank in it.
	if (href !== value && href !== `${value}/`) return `should be ${href}`;
	return undefined;
}

function problemOfRepository(value: string): string | undefined {
	const problem = problemOfAddress(value);
	if (problem) return problem;
	if (value.endsWith('.git')) return 'ends with .git';
	const names = new URL(value).pathname.split('/').slice(1);
	const isWhole = names.length >= 2 && !names.includes('');
	return isWhole ? undefined : 'does not name an owner and a repository';
}

/** As the field of a form takes it, with a host that has a dot in it. */
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d-]+(\.[a-z\d-]+)+$/i;

/** What is wrong with addresses that somebody gives, one line for each. */
export function problemsIn({ repository, homepage, email }: Addresses): string[] {
	const problems = [
		['--repository', repository, problemOfRepository(repository)],
		['--homepage', homepage, problemOfAddress(homepage)],
		['--email', email, EMAIL.test(email) ? undefined : 'is no e-mail address'],
	];
	return problems
		.filter(([, , problem]) => problem)
		.map(([option, value, problem]) => `${option} ${value}: ${problem}`);
}

/** Whether it is at a host that nobody can have, and has to be replaced before a release. */
export const isPlaceholder = (address: string) => /[/@.]example\.(com|net|org)\b/.test(address);

/** The addresses that a package.json has. */
export const addressesIn = ({ repository, homepage, author }: Manifest): Addresses => ({
	repository: repository.url.replace(/^git\+/, '').replace(/\.git$/, ''),
	homepage,
	email: author.email,
});

type Place = (text: string, addresses: Addresses) => string;

/** A JSON file, as its formatter writes it. */
function inJson<T>(indent: string, put: (document: T, addresses: Addresses) => void): Place {
	return (text, addresses) => {
		const document = JSON.parse(text) as T;
		put(document, addresses);
		return `${JSON.stringify(document, null, indent)}\n`;
	};
}

const inManifest = inJson('  ', (manifest: Manifest, { repository, homepage, email }) => {
	manifest.homepage = homepage;
	manifest.bugs = `${repository}/issues`;
	manifest.repository.url = `git+${repository}.git`;
	manifest.author.email = email;
});

interface Document {
	info: { contact: { email: string; url: string } };
}

const inDocument = inJson('\t', ({ info }: Document, { homepage, email }) => {
	info.contact.email = email;
	info.contact.url = homepage;
});

/**
 * What stands between two texts of a file.
 *
 * @throws when the file does not have them once: it has been rewritten, and this list has not
 */
function between(before: string, after: string, choose: (addresses: Addresses) => string): Place {
	return (text, addresses) => {
		const [start = '', rest, ...more] = text.split(before);
		if (rest === undefined || more.length > 0) throw new Error(`"${before}" is not there once`);
		const end = rest.indexOf(after);
		if (end < 0) throw new Error(`nothing ends with "${after}" after "${before}"`);
		return start + before + choose(addresses) + rest.slice(end);
	};
}

const emailOf = ({ email }: Addresses) => email;
const homepageOf = ({ homepage }: Addresses) => homepage;

/** The files that hold an address, and how it is put there: whatever else they say is left alone. */
export const PLACES: Record<string, Place> = {
	'package.json': inManifest,
	'sandbox/package.json': inManifest,
	'docs/openapi.json': inDocument,
	'docs/SECURITY.md': between('Write to ', ' instead of ', emailOf),
	'docs/CODE_OF_CONDUCT.md': between('Report violations to ', '. Only ', emailOf),
	'.github/ISSUE_TEMPLATE/config.yml': between('\n    url: ', '\n', homepageOf),
};
