/** Draws one RGBA picture over an opaque one of the same size, in place. */
export function overlay(ground: Buffer, top: Buffer): Buffer {
	for (let i = 0; i < top.length; i += 4) {
		const alpha = top[i + 3] ?? 0;
		if (alpha === 0) continue;
		const rest = 255 - alpha;
		for (let channel = i; channel < i + 3; channel++) {
			const above = top[channel] ?? 0;
			const below = ground[channel] ?? 0;
			ground[channel] = (above * alpha + below * rest + 127) / 255;
		}
	}
	return ground;
}
