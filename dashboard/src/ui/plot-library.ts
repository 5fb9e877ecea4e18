import './known-language.ts';
import UPlot from 'uplot';

/** uPlot, as a file of its own (`plot.js`) that is fetched with the first plot: most visits need none. */
export const Plotter = UPlot;
