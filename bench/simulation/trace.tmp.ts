import { share } from './sharing';
void (async () => {
	const r = await share(
		{
			processes: 3,
			jobs: 50,
			seconds: 4,
			apartMs: Number(process.argv[2] ?? 0),
			window: (process.argv[3] ?? 'sliding') as any,
			namesRetryAfter: false,
			countsRefused: process.argv[4] === '1',
			hasForeign: false,
		},
		1,
	);
	console.log(JSON.stringify(r));
})();
