import { render } from 'preact';
import '../shared/theme.css';
import './ops.css';
import { ConsolePage } from './console-page';

const root = document.getElementById('app');
if (root) render(<ConsolePage />, root);
