import { render } from 'preact';
import '../shared/theme.css';
import { ShopPage } from './shop-page';

const root = document.getElementById('app');
if (root) render(<ShopPage />, root);
