import DefaultTheme from 'vitepress/theme';
import { MermaidDiagram } from './mermaidDiagram.mjs';
import './colours.css';
import './contrast.css';

export default {
	extends: DefaultTheme,
	enhanceApp: ({ app }) => {
		app.component('MermaidDiagram', MermaidDiagram);
	},
};
