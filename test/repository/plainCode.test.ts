import ts from 'typescript';
import { filesIn, PUBLISHED, sourceOf } from '../support/sources';

/* Published code is written for a reader who has never seen it: what saves a line and costs a look is out. */

const files = PUBLISHED.flatMap((folder) => filesIn(folder));

/** The nodes of a kind in all published files, as `file:line`. */
function placesOf(isFound: (node: ts.Node) => boolean): string[] {
	const places: string[] = [];
	for (const file of files) {
		const source = sourceOf(file);
		const visit = (node: ts.Node): void => {
			const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
			if (isFound(node)) places.push(`${file}:${line + 1}`);
			ts.forEachChild(node, visit);
		};
		visit(source);
	}
	return places;
}

/** An expression without the parentheses around it. */
function bare(node: ts.Expression): ts.Expression {
	return ts.isParenthesizedExpression(node) ? bare(node.expression) : node;
}

/** What is not there unless something else is, or could as well be written where it is spread. */
const isOfSpread = (node: ts.Expression): boolean =>
	ts.isConditionalExpression(node) ||
	ts.isObjectLiteralExpression(node) ||
	ts.isArrayLiteralExpression(node) ||
	(ts.isBinaryExpression(node) &&
		node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken);

const isAssignment = (node: ts.Node): node is ts.BinaryExpression =>
	ts.isBinaryExpression(node) &&
	node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
	node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;

/** A statement of its own, or the step of a loop. */
const isStatement = ({ parent }: ts.Node): boolean =>
	ts.isExpressionStatement(parent) || ts.isForStatement(parent);

const RULES: Record<string, (node: ts.Node) => boolean> = {
	'spreads what may not be there, or a literal': (node) =>
		(ts.isSpreadAssignment(node) || ts.isSpreadElement(node)) && isOfSpread(bare(node.expression)),
	'assigns something within an expression': (node) => isAssignment(node) && !isStatement(node),
	'has a choice within a choice': (node) =>
		ts.isConditionalExpression(node) &&
		[node.whenTrue, node.whenFalse].map(bare).some(ts.isConditionalExpression),
	'calls something by one letter': (node) =>
		(ts.isParameter(node) || ts.isVariableDeclaration(node) || ts.isBindingElement(node)) &&
		ts.isIdentifier(node.name) &&
		/^[a-z]$/i.test(node.name.text),
};

test.each(Object.entries(RULES))('no code %s', (_, rule) => {
	expect(placesOf(rule)).toEqual([]);
});
