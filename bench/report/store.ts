/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Cell } from '../simulation/cells';
import type { Figure, Table } from './table';

/** What each part of the bench comes to. */
export interface Results {
	/** Clients and loads in virtual time. */
	clients: Cell[];
	/** What a list request buys, in virtual time. */
	lists: Table;
	/** Ways to count a minute, and several processes, in virtual time. */
	servers: Figure[];
	/** What needs no n8n: signatures, memory, steps, loading. */
	micro: Figure[];
	/** A real n8n: overhead, files. */
	n8n: Figure[];
	events: Figure[];
	many: Table;
	sandbox: string;
}

export type Part = keyof Results;

/** A part with the commit and the Node that were measured, and how long that took. */
export interface Measured<P extends Part = Part> {
	measured: string;
	seconds?: number;
	result: Results[P];
}

export type Store = { [P in Part]?: Measured<P> };

const FILE = path.join(__dirname, 'measured.json');

/** The last results of every part, so that one part can be measured again by itself. */
export const readStore = (): Store =>
	existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Store) : {};

export const writeStore = (store: Store): void =>
	writeFileSync(FILE, `${JSON.stringify(store, undefined, '\t')}\n`);
