import { createHmac, randomBytes } from 'node:crypto';
import { sign, verify } from '../../src/events/signature';
import { median, percentile, type Figure } from '../report/table';

const MIB = 1024 ** 2;
const ROUNDS = 1_000;

const milliseconds = (act: () => void): number => {
	const started = performance.now();
	act();
	return performance.now() - started;
};

/** Verifying one delivery of 1 MiB, beside a bare HMAC over the same bytes, in turns. */
export function verification(): Figure[] {
	const secret = 'whsec_bench';
	const rawBody = randomBytes(MIB);
	const now = Date.now();
	const timestamp = String(Math.floor(now / 1_000));
	const signature = sign(secret, timestamp, rawBody);
	const own: number[] = [];
	const bare: number[] = [];
	for (let round = 0; round < ROUNDS; round += 1) {
		own.push(
			milliseconds(() => {
				if (!verify({ secret, timestamp, signature, rawBody, now })) throw new Error('refused');
			}),
		);
		bare.push(milliseconds(() => void createHmac('sha256', secret).update(rawBody).digest()));
	}
	const slow = percentile(own, 0.99);
	const ratio = median(own) / median(bare);
	const note = `${ROUNDS} rounds in turns`;
	return [
		{
			name: 'verify one delivery of 1 MiB, p99',
			value: `${slow.toFixed(2)} ms`,
			target: '< 5 ms',
			isMet: slow < 5,
			note,
		},
		{
			name: 'the same against a bare HMAC',
			value: ratio.toFixed(2),
			target: '≤ 2',
			isMet: ratio <= 2,
			note: 'medians',
		},
	];
}
