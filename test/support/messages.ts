import ts from 'typescript';
import { sourceOf } from './sources';

/** Where the message stands among what an error is made with. */
const ERRORS: Record<string, number> = { UserError: 0 };

/** The same of the functions that make one of a text. */
const MAKERS: Record<string, number> = { operationError: 1, serviceError: 3, refuse: 0 };

/**
 * The function that gives the text of one, and its file: elsewhere this is the name of what goes to the log.
 */
const TEXT_OF = { file: 'src/n8n/pickers/request.ts', name: 'listProblem' };

/** A literal with … for what differs from case to case; a constant of the same file is looked up. */
function textOf(node: ts.Expression | undefined, source: ts.SourceFile): string | undefined {
	if (!node) return undefined;
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isTemplateExpression(node)) {
		const spans = node.templateSpans.map(({ literal }) => `…${literal.text}`);
		// A remark that follows as a sentence of its own is not part of it.
		return [node.head.text, ...spans].join('').replace(/\. …$/, '');
	}
	return ts.isIdentifier(node) ? textOf(constantOf(node.text, source), source) : undefined;
}

function constantOf(name: string, source: ts.SourceFile): ts.Expression | undefined {
	let found: ts.Expression | undefined;
	const visit = (node: ts.Node): void => {
		if (ts.isVariableDeclaration(node) && node.name.getText(source) === name)
			found = node.initializer;
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

/** The messages of errors that a file words itself, as far as they begin with a text. */
export function messagesIn(file: string): string[] {
	const source = sourceOf(file);
	const found: string[] = [];
	const keep = (text: string | undefined) => text && found.push(text);
	const visit = (node: ts.Node, inText: boolean): void => {
		if (ts.isNewExpression(node)) {
			const place = ERRORS[node.expression.getText(source)];
			if (place !== undefined) keep(textOf(node.arguments?.[place], source));
		} else if (ts.isCallExpression(node)) {
			const name = node.expression.getText(source);
			const place = MAKERS[name];
			const text = place === undefined ? undefined : textOf(node.arguments[place], source);
			// What the service said follows.
			keep(name === 'serviceError' && text ? `${text}: …` : text);
		} else if (inText && ts.isReturnStatement(node)) {
			keep(textOf(node.expression, source));
		}
		const isText =
			file === TEXT_OF.file && ts.isFunctionDeclaration(node) && node.name?.text === TEXT_OF.name;
		ts.forEachChild(node, (child) => visit(child, inText || isText));
	};
	visit(source, false);
	// What begins with another text is listed where that comes from.
	return found.filter((text) => !text.startsWith('…'));
}

/** Every text that an expression may be: a choice has two. */
function textsOf(node: ts.Expression | undefined, source: ts.SourceFile): string[] {
	if (node && ts.isConditionalExpression(node))
		return [node.whenTrue, node.whenFalse].flatMap((branch) => textsOf(branch, source));
	if (node && ts.isIdentifier(node)) return textsOf(constantOf(node.text, source), source);
	const text = textOf(node, source);
	return text === undefined ? [] : [text];
}

/** The value of a property of an object literal, written out or as a shorthand. */
function valueIn(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
	const property = object.properties.find((one) => one.name && one.name.getText() === name);
	if (!property) return undefined;
	if (ts.isPropertyAssignment(property)) return property.initializer;
	return ts.isShorthandPropertyAssignment(property) ? property.name : undefined;
}

/** Functions that say what is wrong with a value, to follow the label of its field. */
const PROBLEM_OF = ['partProblem', 'ownKeyProblem', 'mediaUrlIn'];

/** What a file says of a field that holds a wrong value, with the field or … in front. */
export function problemsIn(file: string): string[] {
	const source = sourceOf(file);
	const found: string[] = [];
	const keep = (problem: ts.Expression | undefined, field?: ts.Expression) => {
		const label = field && ts.isStringLiteralLike(field) ? field.text : '…';
		found.push(...textsOf(problem, source).map((text) => `${label} ${text}`));
	};
	const visit = (node: ts.Node, isProblem: boolean): void => {
		if (ts.isObjectLiteralExpression(node)) {
			const kind = valueIn(node, 'kind')?.getText(source);
			const isInput = kind === undefined || kind === "'input'";
			if (isInput) keep(valueIn(node, 'problem'), valueIn(node, 'field'));
		} else if (ts.isCallExpression(node) && node.expression.getText(source) === 'invalid') {
			keep(node.arguments[1], node.arguments[0]);
		} else if (isProblem && ts.isReturnStatement(node)) keep(node.expression);
		const begins = ts.isFunctionDeclaration(node) && PROBLEM_OF.includes(node.name?.text ?? '');
		ts.forEachChild(node, (child) => visit(child, isProblem || begins));
	};
	visit(source, false);
	// What another text begins, such as the field of a block, is listed where that comes from.
	const own = found.filter((text) => !/^… (block )?…/.test(text));
	// A plural, or a reason that follows.
	return own.map((text) => text.replace(/(?<=item)…/, 's').replace(/(?<=\w)…$/, ''));
}

/** What the tests of the two credentials say when they fail; the service's own words may follow. */
export function testResultsIn(file: string): string[] {
	const source = sourceOf(file);
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isCallExpression(node) && node.expression.getText(source) === 'invalid')
			found.push(...textsOf(node.arguments[0], source));
		const status = ts.isObjectLiteralExpression(node) && valueIn(node, 'status')?.getText(source);
		if (ts.isObjectLiteralExpression(node) && status === "'Error'")
			found.push(...textsOf(valueIn(node, 'message'), source));
		ts.forEachChild(node, visit);
	};
	visit(source);
	// What begins with another text is listed where that comes from.
	return found.map((text) => text.replace(/\.…$/, '.')).filter((text) => /^[^…]/.test(text));
}
