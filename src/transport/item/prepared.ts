import type { ApiRequest } from '../base/types';
import type { Settings } from './settings';

/** An item whose parameters have been checked: nothing about it is known to be wrong. */
export interface Prepared {
	request: ApiRequest;
	settings: Settings;
}
