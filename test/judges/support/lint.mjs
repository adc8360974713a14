import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

/** Prints what Spectral and Redocly find in the OpenAPI document at a path, by all of their rules. */
const [, , path] = process.argv;
const text = await readFile(path, 'utf8');

const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [[spectralRulesets.oas, 'all']] });

const config = await createConfig({ extends: ['recommended-strict'] });

console.log(
	JSON.stringify({
		spectral: await spectral.run(JSON.parse(text)),
		redocly: await lintFromString({ source: text, absoluteRef: path, config }),
	}),
);
