/**
 * What is used of the official SDK for logins. Its code is some 600 KB with all of its schemas, so the build makes a file of its own of
 * this module, and nothing loads it before somebody logs in or a token is renewed: `import('./sdk.ts')`, never from the top.
 */
// biome-ignore lint/performance/noBarrelFile: the one door to the SDK, so that it is loaded as a whole and late
export {
  auth,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
  refreshAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
