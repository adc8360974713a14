import { InstantClock } from '../model/instantClock';

/** In place of `src/base/clock`, for tests in which tries are seconds apart. */
export const systemClock = new InstantClock(Date.now());
