/** Draws one RGBA picture over an opaque one of the same size, in place. */
export function overlay(ground: Buffer, top: Buffer): Buffer {
	for (let i = 0; i < top.length; i += 4) {
		const alpha = top[i + 3];
		if (alpha === 0) continue;
		const rest = 255 - alpha;
		for (let channel = i; channel < i + 3; channel++) {
			ground[channel] = (top[channel] * alpha + ground[channel] * rest + 127) / 255;
		}
	}
	return ground;
}
