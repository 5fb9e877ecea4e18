/** Styles are imported beside the code that needs them; the build puts all of them into one `style.css`. */
declare module '*.css';
