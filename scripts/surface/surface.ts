/** What a saved workflow depends on. Labels and descriptions are not part of it. */
export interface Surface {
	/** By internal name. */
	nodes: Record<string, NodeSurface>;
	/** Fields of the credentials, by internal name of the credential. */
	credentials: Record<string, Parameters>;
}

export interface NodeSurface {
	version: number | number[];
	credentials: string[];
	/** By value, with its resource before it (`voice.clone`); '' where a node has none. */
	operations: Record<string, Parameters>;
}

/**
 * Parameters by path (`options.timeout`); a name may stand for several, shown in different cases.
 */
export type Parameters = Record<string, Parameter[]>;

export interface Parameter {
	type: string;
	default: unknown;
	/** Values that can be chosen, or the modes of a resource locator. */
	values?: Value[];
	/** What must hold besides the operation for it to be shown. */
	when?: Visibility;
}

export type Value = string | number | boolean;

/** Values of other parameters with which a parameter is shown, and with which it is hidden. */
export interface Visibility {
	show?: Record<string, unknown[]>;
	hide?: Record<string, unknown[]>;
}
