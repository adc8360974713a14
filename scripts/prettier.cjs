module.exports = {
	semi: true,
	trailingComma: 'all',
	bracketSpacing: true,
	useTabs: true,
	tabWidth: 2,
	arrowParens: 'always',
	singleQuote: true,
	quoteProps: 'as-needed',
	endOfLine: 'lf',
	printWidth: 100,
	overrides: [
		{ files: ['*.md', '*.yml', '*.yaml'], options: { useTabs: false, tabWidth: 2 } },
		// Prose is broken where a line of 120 columns ends.
		{ files: ['*.md'], options: { proseWrap: 'always', printWidth: 120 } },
		// As npm writes it.
		{ files: ['package.json'], options: { useTabs: false } },
	],
};
