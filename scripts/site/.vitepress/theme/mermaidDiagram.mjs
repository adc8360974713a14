import mermaidUrl from '@mermaid-js/tiny?url';
import { useData } from 'vitepress';
import { h, onMounted, ref, useId, watch } from 'vue';

let loading;

/** The package is a script for a page, not a module; it is loaded by pages that have a diagram. */
const mermaid = () => {
	loading ??= new Promise((resolve, reject) => {
		const script = document.createElement('script');
		script.src = mermaidUrl;
		script.onload = () => resolve(globalThis.mermaid);
		script.onerror = reject;
		document.head.append(script);
	});
	return loading;
};

/** A diagram, drawn in the browser in the colours of the page; its text stands there until then. */
export const MermaidDiagram = {
	props: { code: { type: String, required: true } },
	setup(props) {
		const { isDark, page } = useData();
		const id = `diagram-${useId()}`;
		const svg = ref('');
		const text = decodeURIComponent(props.code);
		const draw = async () => {
			const { initialize, render } = await mermaid();
			initialize({
				startOnLoad: false,
				theme: isDark.value ? 'dark' : 'default',
				// Mermaid's own grey behind the labels of arrows is too light for their text.
				themeVariables: isDark.value ? { edgeLabelBackground: '#1b1b1f' } : {},
				securityLevel: 'strict',
			});
			svg.value = (await render(id, text)).svg;
		};
		onMounted(draw);
		watch(isDark, draw);
		return () =>
			svg.value
				? h('div', {
						class: 'diagram',
						role: 'img',
						'aria-label': `Diagram: ${page.value.title}`,
						innerHTML: svg.value,
					})
				: h('pre', { class: 'diagram', tabindex: 0 }, text);
	},
};
