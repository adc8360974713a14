import type { Failure, NoResponseFailure } from '../base/result';
import type { UnsentReason } from '../base/types';
import { creditCapText } from './credits';
import type { Text } from '../http/statuses';
import { ofStatus, type TextContext } from './statusTexts';

type TextFor<K extends Failure['kind']> = (
	failure: Extract<Failure, { kind: K }>,
	context: TextContext,
) => Text;

const UNSENT: Record<UnsentReason, (reason: string) => Text> = {
	connection: (reason) => [
		`The service cannot be reached (${reason})`,
		'Check the base URL of the credential and the network.',
	],
	certificate: (reason) => [
		`The certificate of the service is not accepted (${reason})`,
		'Check the base URL of the credential. A certificate of a private authority must be made known to n8n.',
	],
	local: (reason) => [`n8n could not send the request: ${reason}`, 'Check the credential.'],
};

function ofNoResponse({ reason, attempts, unsent }: NoResponseFailure): Text {
	const [happened, todo] = unsent
		? UNSENT[unsent](reason)
		: [
				`The service did not respond (${reason})`,
				'Check the base URL of the credential and the network.',
			];
	return [happened, `${attempts > 1 ? `Tried ${attempts} times. ` : ''}${todo}`];
}

const TEXTS: { [K in Failure['kind']]: TextFor<K> } = {
	input: ({ field, problem, hint }) => [`${field} ${problem}`, hint ? `${hint}.` : ''],
	scope: ({ scope }) => [
		`The credential is limited to scopes without ${scope}`,
		`If the key has the scope ${scope}, add it to Limit to Scopes in the credential, or empty that list.`,
	],
	status: ofStatus,
	noResponse: ofNoResponse,
	badResponse: ({ status, problem }) => [
		'The answer of the service cannot be used',
		`The service answered with status ${status}, but ${problem}. Check that the base URL of the credential is the address of the API and ends in /v1.`,
	],
	cancelled: () => ['The execution was cancelled', 'Nothing further was sent.'],
	deadline: ({ waitedMs }, { creates }) => [
		`Not finished after ${Math.round(waitedMs / 6_000) / 10} minutes`,
		creates
			? 'Raise Wait Timeout to wait longer.'
			: 'The job goes on at the service: raise Wait Timeout, or fetch it later by its ID.',
	],
	jobFailed: ({ reason }, { creates }) => [
		`The job failed: ${reason}`,
		`Change what the reason names${creates ? '' : ' and create it again'}.`,
	],
	download: ({ outputId, problem }, { creates }) => [
		`Output ${outputId} could not be downloaded: ${problem}`,
		creates ? '' : 'Run this again to download it; that costs nothing.',
	],
	upload: ({ field, problem }) => [
		`The binary field "${field}" could not be uploaded: ${problem}`,
		'',
	],
	possibleDuplicate: ({ candidates, because }) => [
		'Not created again, because an earlier try may have been carried out',
		[
			'The service did not respond to that try, and',
			because === 'changed'
				? 'the request has been changed since.'
				: 'its idempotency key is no longer valid after 24 hours.',
			candidates.length > 0
				? `These jobs may be the one: ${candidates.join(', ')}. Fetch the right one by its ID;`
				: 'Look for it at the service;',
			`if there is none, ${because === 'changed' ? 'retry this execution once more' : 'run a new execution'}.`,
		].join(' '),
	],
	creditCap: creditCapText,
	busy: () => ['No job slot was free in time', 'Run this again in a minute.'],
	skipped: ({ cause }) => [`Not sent: ${cause}`, 'Run this again once that is settled.'],
};

/** The words for a failure of any kind. */
export function textOf(failure: Failure, context: TextContext): Text {
	const write = TEXTS[failure.kind] as TextFor<Failure['kind']>;
	return write(failure as never, context);
}
