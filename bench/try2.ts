import { share } from './sharing';
import { bound, simulate } from './simulate';
import { oursListing, oursTold } from './clients/ours';
void (async () => {
  for (const [n,s] of [[33,30],[100,30],[100,120],[100,5]]) for (const seed of [undefined, 1,2,3,4,5]) {
    const o = await share(3, {jobs:n!, seconds:s!}, seed);
    console.log(n,s,seed, o.ratio.toFixed(3), 'req', o.requests, '429', (100*o.refused/o.requests).toFixed(1)+'%', 'lost', o.lost);
  }
  for (const window of ['sliding','fixed','bucket'] as const) for (const burst of window==='bucket'?[60,10]:[undefined]) for (const c of [oursListing, oursTold]) {
   let r=0,q=0; for (const [n,s] of [[100,5],[100,30],[500,2],[200,1]]) for (const seed of [undefined,1,2,3]) { const o = await simulate(c,{jobs:n!,seconds:s!},seed,{window,burst}); r+=o.refused;q+=o.requests }
   console.log(window,burst,c.name,r,q);
  }
})();
