/** Where browsers come back to from an authorization server, on mcpd's own address. */
export const CALLBACK_PATH = '/oauth/callback';

/** What they are shown. Nothing of the request is in it. */
export interface CallbackPage {
  status: number;
  html: string;
}
