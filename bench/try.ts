import { CLIENTS, LOADS, bound, simulate, simulateSeeds } from './simulate';
void (async () => {
  const only = process.argv[2];
  for (const load of LOADS) for (const c of CLIENTS) {
    if (only && !c.name.includes(only)) continue;
    const t=Date.now();
    const f = await simulate(c, load); const s = await simulateSeeds(c, load, only ? 20 : 2);
    const b = bound(load);
    console.log(load.jobs, load.seconds, b, c.name.padEnd(18), 'fixed', (f.makespan/b).toFixed(3), 'r/j', (f.requests/load.jobs).toFixed(2), '429', f.refused, 'lost', f.lost, '| jitter', (s.makespan/b).toFixed(3), (s.requests/load.jobs).toFixed(2), s.refused.toFixed(1), s.lost, (Date.now()-t)+'ms');
  }
})();
