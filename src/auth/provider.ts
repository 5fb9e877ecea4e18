import type {
  OAuthClientInformationContext,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import { McpdError } from '../errors.ts';
import type { Issuer } from './discovery.ts';
import type { ClientIdentity, Grants, Registration } from './grants.ts';
import { includesScopes } from './scopes.ts';

export interface ProviderFacts {
  issuer: Issuer;
  redirectUri: string;
  state: string;
  /** What this login will ask for; null when it names nothing. */
  scope: string | null;
  /** Given by a person for this login; goes before what is registered. */
  client: ClientIdentity | null;
  /** Address of mcpd's metadata on the web, for authorization servers that take it; null when there is none. */
  clientMetadataUrl: string | null;
  now: () => number;
}

/**
 * What the SDK's `auth` asks for during one login. Nothing of it touches the disk but a registration, which serves later logins; the link,
 * the PKCE verifier and the tokens are for whoever runs the login.
 */
export class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  readonly clientMetadataUrl?: string;
  link: URL | null = null;
  issued: OAuthTokens | null = null;
  client: ClientIdentity | null;
  /** The authorization server said that it does not know this client. */
  clientUnknown = false;
  readonly #facts: ProviderFacts;
  readonly #grants: Grants;
  #verifier: string | null = null;

  constructor(facts: ProviderFacts, grants: Grants) {
    this.#facts = facts;
    this.#grants = grants;
    this.redirectUrl = facts.redirectUri;
    this.clientMetadata = clientMetadata(facts);
    if (facts.clientMetadataUrl !== null) this.clientMetadataUrl = facts.clientMetadataUrl;
    this.client = facts.client ?? usable(grants.registration(facts.issuer.issuer), facts);
  }

  state(): string {
    return this.#facts.state;
  }

  clientInformation(
    { issuer }: OAuthClientInformationContext = { issuer: '' },
  ): OAuthClientInformationMixed | undefined {
    // Only ever for the issuer that this login began with.
    return this.client === null || issuer !== this.#facts.issuer.issuer
      ? undefined
      : informationOf(this.client, issuer);
  }

  async saveClientInformation(information: OAuthClientInformationMixed): Promise<void> {
    const registration = registrationOf(information, this.#facts);
    this.client = registration;
    await this.#grants.register(this.#facts.issuer.issuer, registration);
  }

  tokens(): undefined {
    return undefined;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.issued = tokens;
  }

  redirectToAuthorization(link: URL): void {
    this.link = link;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    if (this.#verifier !== null) return this.#verifier;
    throw new McpdError('INTERNAL', { what: 'a code came before the link was made' });
  }

  discoveryState(): OAuthDiscoveryState {
    const { authorizationServerUrl, metadata, resourceMetadata, resourceMetadataUrl } = this.#facts.issuer;
    return {
      authorizationServerUrl,
      ...(metadata === null ? {} : { authorizationServerMetadata: metadata }),
      ...(resourceMetadata === null ? {} : { resourceMetadata }),
      ...(resourceMetadataUrl === null ? {} : { resourceMetadataUrl }),
    };
  }

  /** What was found before the login began stays as it is until its end. */
  saveDiscoveryState(): void {}

  async invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (what !== 'client' && what !== 'all') return;
    this.clientUnknown = true;
    this.client = null;
    // What a person gave is not taken away on the word of a stranger, nor by a page that began the login.
    const { issuer } = this.#facts.issuer;
    if (this.#facts.client === null && this.#grants.registration(issuer)?.origin !== 'given')
      await this.#grants.unregister(issuer);
  }
}

export function informationOf(client: ClientIdentity, issuer: string): OAuthClientInformationMixed {
  return {
    client_id: client.clientId,
    issuer,
    ...(client.clientSecret === null ? {} : { client_secret: client.clientSecret }),
    ...(client.method === null ? {} : { token_endpoint_auth_method: client.method }),
  };
}

// — internal —

function clientMetadata({ redirectUri, issuer }: ProviderFacts): OAuthClientMetadata {
  return {
    client_name: 'mcpd',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // A program on a person's machine keeps no secret from him: PKCE protects it, where the server lets it.
    token_endpoint_auth_method: methodFor(issuer.metadata?.token_endpoint_auth_methods_supported),
    application_type: 'native',
  };
}

function methodFor(supported: string[] | undefined): string {
  if (supported === undefined || supported.includes('none')) return 'none';
  return supported.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post';
}

/** mcpd's own registrations name one address to come back to and the scopes of their day: for others it registers anew. */
function usable(registration: Registration | null, { redirectUri, scope, now }: ProviderFacts): ClientIdentity | null {
  if (registration === null) return null;
  if (registration.origin === 'registered') {
    if (registration.redirectUri !== redirectUri) return null;
    if (registration.scope !== null && !includesScopes(registration.scope, scope ?? '')) return null;
  }
  return registration.secretExpiresAt !== null && registration.secretExpiresAt <= now() ? null : registration;
}

function registrationOf(
  information: OAuthClientInformationMixed,
  { redirectUri, clientMetadataUrl }: ProviderFacts,
): Registration {
  const { client_id: clientId, client_secret: clientSecret = null } = information;
  const scope = 'scope' in information ? information.scope : undefined;
  const method = 'token_endpoint_auth_method' in information ? information.token_endpoint_auth_method : undefined;
  // RFC 7591: seconds since 1970; 0 is never.
  const expires = information.client_secret_expires_at ?? 0;
  return {
    clientId,
    clientSecret,
    method: method ?? null,
    redirectUri,
    origin: clientId === clientMetadataUrl ? 'document' : 'registered',
    scope: scope ?? null,
    secretExpiresAt: expires === 0 ? null : expires * 1000,
  };
}
