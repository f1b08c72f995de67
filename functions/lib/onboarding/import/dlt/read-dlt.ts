import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { bearerKey } from '../../bearer-key.ts'
import { Attributes } from '../attributes.ts'
import type { ImportedSource } from '../imported-source.ts'
import type { Report } from '../report.ts'
import { resourceOf } from './resources.ts'

/** Reads a dictionary of the `rest_api` source of dlt as JSON (its page "REST API source"). */
export const readDlt = (source: JsonObject, report: Report): ImportedSource => {
  report.unread(source, 'source', ['client', 'resource_defaults', 'resources'])
  const client = isObject(source['client']) ? source['client'] : {}
  report.unread(client, 'client', ['base_url', 'headers', 'auth', 'paginator', 'session'])
  const attributes = new Attributes({})
  const defaults = isObject(source['resource_defaults']) ? source['resource_defaults'] : {}
  const given = [source['resources'] ?? []].flat()
  const streams = given.flatMap((one, index) => {
    const path = `resources.${index}`
    const resource: JsonObject = isObject(one) ? one : { name: one, endpoint: { path: one } }
    return resourceOf({ resource, defaults, paginator: client['paginator'], path, report })
  })
  return {
    baseUrl: String(client['base_url'] ?? ''),
    authentication: authenticationOf(client['auth'], attributes, report),
    attributes: attributes.values,
    headers: secretless(isObject(client['headers']) ? client['headers'] : {}, attributes),
    retryConfig: {},
    streams,
  }
}

const authenticationOf = (
  given: Json | undefined,
  attributes: Attributes,
  report: Report,
): JsonObject | undefined => {
  if (given === undefined || given === null) return undefined
  const auth: JsonObject = isObject(given) ? given : { type: given }
  const value = (key: string): Json => auth[key] ?? ''
  const type = String(auth['type'] ?? (auth['token'] === undefined ? '' : 'bearer'))
  switch (type) {
    case 'bearer':
      return bearerKey(attributes.hide('token', value('token')))
    case 'api_key': {
      const place = String(auth['location'] ?? 'header')
      const isKnown = ['header', 'query', 'cookie'].includes(place)
      if (!isKnown) report.lost('client.auth.location', `a key in ${place}: it is sent as a header`)
      return {
        type: 'apiKey',
        in: isKnown ? place : 'header',
        name: String(auth['name'] ?? 'Authorization'),
        value: attributes.hide('api_key', value('api_key')),
      }
    }
    case 'http_basic':
      attributes.values['username'] = value('username')
      attributes.values['#password'] = value('password')
      return { type: 'basic' }
    case 'oauth2_client_credentials':
      report.unread(auth, 'client.auth', [
        ...[
          'type',
          'access_token_url',
          'client_id',
          'client_secret',
          'access_token_request_data',
          'default_token_expiration',
        ],
      ])
      attributes.values['client_id'] = value('client_id')
      return {
        type: 'oauth2',
        grant: 'client_credentials',
        tokenUrl: String(value('access_token_url')),
        clientId: { attr: 'client_id' },
        clientSecret: attributes.hide('client_secret', value('client_secret')),
        clientIn: 'body',
        ...(isObject(auth['access_token_request_data']) ? { params: auth['access_token_request_data'] } : {}),
      }
    default:
      report.lost('client.auth', `an authentication of the type "${type}"`, 'rows')
      return undefined
  }
}

const secretless = (headers: JsonObject, attributes: Attributes): JsonObject =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      attributes.isSecret(name) ? attributes.hide(name, value) : value,
    ]),
  )
