import {
  auth,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
  refreshAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';

/**
 * What is used of the official SDK for logins. Its code is some 400 KB with all of its schemas, so the build makes a file of its own of
 * this module, and nothing loads it before somebody logs in or a token is renewed: `import('./sdk.ts')`, never from the top.
 */
export const sdk = {
  auth,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
  refreshAuthorization,
  validateAuthorizationResponseIssuer,
};

export type Sdk = typeof sdk;
