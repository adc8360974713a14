/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'crypto';
import sharp, { type OverlayOptions } from 'sharp';

import { asset } from '../assets';
import type { Media, MediaRequest } from './types';
import { imageSize, type Size } from './size';

/** Shipped, so that text is readable on a machine that has no fonts. */
const FONT_FILE = asset('media', 'fonts', 'Rubik-SemiBold.ttf');
const FONT = 'Rubik SemiBold 12';
const POINTS = 12;
const LONGEST_CAPTION = 400;

/** A PNG of the asked size with the prompt written on a landscape of the seed's colours. */
export async function renderImage(request: MediaRequest): Promise<Media> {
	const size = imageSize(request);
	const layers = [...(await thumbnails(request, size)), ...(await caption(request, size))];
	const bytes = await sharp(scene(request, size)).composite(layers).removeAlpha().png().toBuffer();
	return { bytes, ...size };
}

/** An SVG: a sky with a sun, three rows of hills, and a shade below that keeps text legible. */
export function scene({ prompt, seed, index }: MediaRequest, { width, height }: Size): Buffer {
	const digest = createHash('sha256').update(`${seed} ${index} ${prompt}`).digest();
	const part = (at: number) => (digest[at] ?? 0) / 255;
	const hue = Math.round(part(0) * 360);
	const color = (turn: number, lightness: number) => `hsl(${hue + turn}, 60%, ${lightness}%)`;
	const hills = [0, 1, 2].map((row) => {
		const [left, right] = [part(row * 2 + 1), part(row * 2 + 2)].map((rise) => {
			return height * (0.4 + row * 0.16 + rise * 0.2);
		});
		const [first, second] = [width * 0.3, width * 0.7];
		const path = `M0 ${left} C${first} ${right} ${second} ${left} ${width} ${right} V${height} H0 Z`;
		return `<path d="${path}" fill="${color(row * 8, 46 - row * 15)}"/>`;
	});
	const sun = { x: width * (0.2 + part(7) * 0.6), y: height * (0.18 + part(8) * 0.2) };
	return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
		<defs>
			<linearGradient id="sky" x2="0" y2="1"><stop stop-color="${color(-40, 34)}"/><stop offset="0.7" stop-color="${color(20, 80)}"/></linearGradient>
			<linearGradient id="shade" x2="0" y2="1"><stop offset="0.35" stop-opacity="0"/><stop offset="0.7" stop-opacity="0.6"/></linearGradient>
		</defs>
		<rect width="100%" height="100%" fill="url(#sky)"/>
		<circle cx="${sun.x}" cy="${sun.y}" r="${Math.min(width, height) * (0.06 + part(9) * 0.08)}" fill="${color(60, 92)}"/>
		${hills.join('')}
		<rect width="100%" height="100%" fill="url(#shade)"/>
	</svg>`);
}

/** The prompt, and below it what the file is; shrunk where it is too long for half of the picture. */
export async function caption(
	{ kind, prompt, index }: MediaRequest,
	{ width, height }: Size,
): Promise<OverlayOptions[]> {
	const unit = Math.min(width, height);
	const margin = Math.round(unit * 0.06);
	const box = { width: width - 2 * margin, height: Math.round(height / 2) };
	// Controls, halves of surrogate pairs and what Unicode does not assign cannot be drawn.
	const clean = prompt.replace(/[\p{Cc}\p{Cs}\p{Cn}\p{Co}]+/gu, ' ').trim();
	const short = [...clean].slice(0, LONGEST_CAPTION).join('');
	const words = escapeXml(short.length < clean.length ? `${short}…` : short);
	const note = `${kind} ${index + 1} · ${width} × ${height} · MediaGen sandbox`;
	const text = `<span foreground="white">${words}\n<span size="40%" alpha="75%">${note}</span></span>`;
	const draw = async (options: { dpi: number } | { height: number }) =>
		await sharp({
			text: {
				text,
				font: FONT,
				fontfile: FONT_FILE,
				rgba: true,
				wrap: 'word-char',
				width: box.width,
				...options,
			},
		})
			.png()
			.toBuffer({ resolveWithObject: true });
	let drawn = await draw({ dpi: Math.max(40, Math.round((unit * 0.07 * 72) / POINTS)) });
	if (drawn.info.height > box.height || drawn.info.width > box.width) {
		drawn = await draw({ height: box.height });
	}
	const { width: wide, height: high } = drawn.info;
	// The smallest pictures have no room for a letter.
	if (wide > width || high > height) return [];
	const top = Math.max(0, height - margin - high);
	return [{ input: drawn.data, left: Math.min(margin, width - wide), top }];
}

/** The reference images in a row in the upper left corner. */
export async function thumbnails(
	{ references = [] }: MediaRequest,
	{ width, height }: Size,
): Promise<OverlayOptions[]> {
	const side = Math.round(Math.min(width, height) * 0.16);
	const margin = Math.round(side / 3);
	const layers: OverlayOptions[] = [];
	for (const reference of references) {
		const left = margin + layers.length * Math.round(side * 1.2);
		if (left + side > width) break;
		const input = await thumbnail(reference, side);
		if (input) layers.push({ input, left, top: margin });
	}
	return layers;
}

/** A caller may hand over anything as a reference: what sharp cannot read is left out. */
async function thumbnail(reference: Buffer, side: number): Promise<Buffer | undefined> {
	try {
		const frame = Math.max(1, Math.round(side * 0.05));
		const inner = Math.max(1, side - 2 * frame);
		return await sharp(reference)
			.rotate()
			.resize(inner, inner, { fit: 'cover' })
			.extend({ top: frame, bottom: frame, left: frame, right: frame, background: 'white' })
			.png()
			.toBuffer();
	} catch {
		return undefined;
	}
}

const escapeXml = (text: string) => text.replace(/[&<>]/g, (each) => `&#${each.charCodeAt(0)};`);
