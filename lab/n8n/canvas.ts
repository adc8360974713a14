/** Name of a node and where the canvas shows it: columns go to the right, rows down. */
export const nodeAt = (name: string, column: number, row = 0) => ({
	id: name,
	name,
	position: [column * 220, row * 220] as [number, number],
});

/** The connection from a main output to the node of this name. */
export const connectedTo = (node: string) => ({
	main: [[{ node, type: 'main' as const, index: 0 }]],
});
