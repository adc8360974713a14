import type { Failed } from '../base/result';
import type { ApiRequest } from '../base/types';
import type { Settings } from './settings';

/** An item whose parameters have been checked and are valid. */
export interface Prepared {
	request: ApiRequest;
	settings: Settings;
	/**
	 * What is wrong with it unless the service is on this machine, which only the credential says.
	 */
	unlessLocal?: Failed;
}
