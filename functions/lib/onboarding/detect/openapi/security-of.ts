import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { bearerKey } from '../../bearer-key.ts'
import type { OpenApiDocument } from './document.ts'

interface Security {
  authentication?: JsonObject
  /** Attributes of `config` to be filled in. */
  attributes: Record<string, string>
  why: string
}

/** The first security scheme of a document that the extractor has a kind for. */
export const securityOf = ({ root, follow }: OpenApiDocument): Security => {
  const schemes = follow(follow(root['components'])['securitySchemes'])
  const wanted = [root['security']].flat().flatMap(each => (isObject(each) ? Object.keys(each) : []))
  const names = [...new Set([...wanted, ...Object.keys(schemes)])]
  for (const name of names) {
    const found = kindOf(follow(schemes[name]))
    if (found !== undefined) return { ...found, why: `Security scheme "${name}": ${found.why}` }
  }
  const why =
    names.length === 0
      ? 'The document names no security scheme.'
      : `None of the security schemes is known here: ${names.join(', ')}.`
  return { attributes: {}, why }
}

const kindOf = (scheme: JsonObject): Security | undefined => {
  const type = String(scheme['type'] ?? '')
  const kind = String(scheme['scheme'] ?? '').toLowerCase()
  if (type === 'http' && kind === 'basic')
    return {
      authentication: { type: 'basic' },
      attributes: { username: '', '#password': '' },
      why: 'user and password, as Basic authentication.',
    }
  if (type === 'http' && kind === 'bearer') return bearer('a bearer token.')
  if (type === 'apiKey')
    return {
      authentication: {
        type: 'apiKey',
        in: scheme['in'] as Json, // header, query or cookie by the specification; the checker refuses others
        name: String(scheme['name'] ?? ''),
        value: { attr: '#key' },
      },
      attributes: { '#key': '' },
      why: `a key in the ${String(scheme['in'])} "${String(scheme['name'])}".`,
    }
  if (type === 'openIdConnect') return bearer('a token that you get elsewhere, sent as a bearer token.')
  if (type !== 'oauth2') return undefined
  const flows = isObject(scheme['flows']) ? scheme['flows'] : {}
  const flow = flows['clientCredentials']
  if (!isObject(flow))
    return bearer(
      `OAuth 2 by ${Object.keys(flows).join(', ')}, which needs a person. The token is sent as a bearer token; with a refresh token use "oauth2".`,
    )
  return {
    authentication: {
      type: 'oauth2',
      grant: 'client_credentials',
      tokenUrl: String(flow['tokenUrl'] ?? ''),
      clientId: { attr: 'clientId' },
      clientSecret: { attr: '#clientSecret' },
      ...(isObject(flow['scopes']) && Object.keys(flow['scopes']).length > 0
        ? { scope: Object.keys(flow['scopes']).join(' ') }
        : {}),
    },
    attributes: { clientId: '', '#clientSecret': '' },
    why: 'OAuth 2 with client credentials. All scopes of the document are asked for; leave out what is not needed.',
  }
}

const bearer = (why: string): Security => ({
  authentication: bearerKey({ attr: '#token' }),
  attributes: { '#token': '' },
  why,
})
