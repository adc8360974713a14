import { VirtualClock } from '../model/virtualClock';

/** In the place of `src/base/clock`: whole runs of a node take hours of it. */
export const systemClock = new VirtualClock();
