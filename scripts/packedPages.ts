import type { Addresses } from './addresses';

/** The pages that are in the package. */
export const PACKED_PAGES = ['README.md', 'CHANGELOG.md'];

/** `](target`, where a link or a picture of a page ends. */
const TARGET = /(?<=\]\()[^)\s]+/g;

/** Where the site has a page of the repository: see `rewrites` and `cleanUrls` in scripts/site. */
const placeInSite = (page: string) => page.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '');

/**
 * A page at the root of the repository as npm shows it, away from the files that it links to. Its links to
 * pages lead to the site; pictures and other files are those of the release in the repository.
 *
 * @param tag of the release
 */
export function withAbsoluteLinks(page: string, addresses: Addresses, tag: string): string {
	const { homepage, repository } = addresses;
	return page.replaceAll(TARGET, (target) => {
		const [file = '', anchor] = target.split('#');
		if (file === '' || URL.canParse(target)) return target;
		if (!file.endsWith('.md')) return `${repository}/raw/${tag}/${file}`;
		const hash = anchor === undefined ? '' : `#${anchor}`;
		return `${homepage}/${placeInSite(file)}${hash}`;
	});
}
