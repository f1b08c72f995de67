import type { JsonObject } from '#lib/json/json-value.ts'
import { type Feature, type Groups, merged, requester } from './feature.ts'

const withParams = (name: string, request_parameters: JsonObject, config: JsonObject = {}): Feature => ({
  name,
  stream: requester({ request_parameters }),
  config,
})

const withBody = (name: string, body: JsonObject, http_method = 'POST'): Feature => ({
  name,
  stream: requester({ http_method, ...body }),
  config: { q: 'all' },
})

const login = (authenticator: JsonObject, config: JsonObject = {}): Omit<Feature, 'name'> => ({
  stream: requester({ authenticator }),
  config,
})
const session = (more: JsonObject = {}) => ({
  type: 'SessionTokenAuthenticator',
  login_requester: merged(
    { type: 'HttpRequester', url_base: 'ORIGIN', path: '/login', http_method: 'POST' },
    more,
  ),
  session_token_path: ['token'],
  request_authentication: { type: 'Bearer' },
})
const oauth = {
  type: 'OAuthAuthenticator',
  token_refresh_endpoint: 'ORIGIN/token',
  client_id: "{{ config['client'] }}",
  client_secret: "{{ config['secret'] }}",
}
const client = { client: 'me', secret: 's3cret' }

/** What requests carry, and where. */
export const ofRequests: Groups = {
  requests: [
    withParams('defaults of settings', {
      n: "{{ config.get('limit', 50) }}",
      m: "{{ config['m'] or 'full' }}",
      k: "{{ config['k'] | default('x') }}",
    }),
    withParams(
      'settings and sums in texts',
      { z: "{{ 'eu' if config['region'] == 'EU' else 'us' }}-{{ config['region'] | lower }}", a: '1' },
      { region: 'EU' },
    ),
    {
      name: 'an optional setting that is not given',
      stream: requester({ request_parameters: { a: "{{ config['a'] }}", b: 'x' } }),
      manifest: { spec: { type: 'Spec', connection_specification: { properties: { a: {} } } } },
    },
    withParams('truth in parameters', { t: '{{ true }}', f: '{{ config.flag }}' }, { flag: false }),
    withParams('a list as a parameter', { l: "{{ config['list'] }}" }, { list: ['p', 'q'] }),
    {
      ...withParams('the day in a parameter', { day: "{{ now_utc().strftime('%Y-%m-%d') }}" }),
      isOfToday: true,
    },
    { ...withParams('a day before', { day: "{{ day_delta(-2, format='%Y-%m-%d') }}" }), isOfToday: true },
    withParams(
      'a time in another form',
      {
        from: "{{ format_datetime(config['start'], '%Y%m%d') }}",
        stamp: "{{ timestamp(config['start']) | int }}",
      },
      { start: '2026-01-02T00:00:00Z' },
    ),
    withParams('a duration', {
      last: "{{ (str_to_datetime('2026-01-31') - duration('P7D')).strftime('%Y-%m-%d') }}",
    }),
    withParams('a hash and base64', {
      h: "{{ 'a' | hash('md5') }}",
      b: "{{ 'user:key' | base64encode }}",
    }),
    withParams(
      'length, replace and join',
      {
        r: "{{ config['a'].replace('-', '_') }}",
        j: "{{ config['list'] | join(';') }}",
      },
      { a: 'x-y', list: ['p', 'q'] },
    ),
    {
      name: 'headers of settings',
      stream: requester({ request_headers: { 'X-Key': "{{ config['key'] }}", 'X-Plain': 'a' } }),
      config: { key: 'k1' },
    },
    withBody('a JSON body', { request_body_json: { q: "{{ config['q'] }}", deep: { n: 1 } } }),
    withBody('a JSON body as text', { request_body_json: '{"q": "{{ config[\'q\'] }}"}' }),
    withBody('a form', { request_body_data: { q: "{{ config['q'] }}", n: '1' } }),
    withBody('a body as text', { request_body_data: "q={{ config['q'] }}" }),
    withBody('a body of its type', {
      request_body: { type: 'RequestBodyJsonObject', value: { q: "{{ config['q'] }}" } },
    }),
    withBody('a JSON body beside a query', {
      request_body_json: { q: 'x' },
      request_parameters: { v: "{{ config['q'] }}" },
    }),
    withBody('a JSON body of a GET', { request_body_json: { q: 'x' } }, 'GET'),
    withBody('a POST of nothing', {}),
    withBody('an empty JSON body', { request_body_json: {} }, 'GET'),
    withBody('a JSON body of texts', { request_body_json: { n: '5', list: "['a', 'b']", t: 'True' } }),
  ],
  address: [
    {
      name: 'a setting in the path',
      stream: requester({ path: "/{{ config['shop'] }}/s" }),
      config: { shop: 'x' },
    },
    {
      name: 'a condition in the base address',
      stream: requester({ url_base: "{{ 'ORIGIN/sandbox' if config['test'] else 'ORIGIN' }}" }),
      config: { test: true },
    },
    { name: 'a base address with a slash', stream: requester({ url_base: 'ORIGIN/v1/', path: 's' }) },
    {
      name: 'a setting in the path that is not given',
      stream: requester({ path: "/of/{{ config['folder'] }}/s" }),
      manifest: { spec: { type: 'Spec', connection_specification: { properties: { folder: {} } } } },
    },
    {
      name: 'a secret in the path',
      stream: requester({ path: "/{{ config['secret'] }}/s" }),
      config: { secret: 'x1' },
    },
    { name: 'a path of a slash', stream: requester({ url_base: 'ORIGIN/v1/s', path: '/' }) },
    { name: 'no path', stream: requester({ url_base: 'ORIGIN/v1/s', path: '' }) },
    { name: 'a query in the path', stream: requester({ path: '/s?v=2' }) },
  ],
  logins: [
    {
      name: 'bearer',
      ...login({ type: 'BearerAuthenticator', api_token: "{{ config['key'] }}" }, { key: 'k1' }),
    },
    {
      name: 'key in a header',
      ...login(
        {
          type: 'ApiKeyAuthenticator',
          api_token: "Token {{ config['key'] }}",
          inject_into: { type: 'RequestOption', inject_into: 'header', field_name: 'X-Api' },
        },
        { key: 'k1' },
      ),
    },
    {
      name: 'key in the query',
      ...login(
        {
          type: 'ApiKeyAuthenticator',
          api_token: "{{ config['key'] }}",
          inject_into: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'key' },
        },
        { key: 'k1' },
      ),
    },
    {
      name: 'basic',
      ...login(
        {
          type: 'BasicHttpAuthenticator',
          username: "{{ config['client'] }}",
          password: "{{ config['secret'] }}",
        },
        client,
      ),
    },
    {
      name: 'basic with the key as name',
      ...login({ type: 'BasicHttpAuthenticator', username: "{{ config['secret'] }}" }, client),
    },
    {
      name: 'basic with the names of settings',
      ...login(
        {
          type: 'BasicHttpAuthenticator',
          username: "{{ config['username'] }}",
          password: "{{ config['password'] }}",
        },
        { username: 'me', password: 'pw' },
      ),
    },
    { name: 'OAuth of a client', ...login({ ...oauth, grant_type: 'client_credentials' }, client) },
    {
      name: 'OAuth with a refresh token',
      ...login({ ...oauth, refresh_token: "{{ config['refresh'] }}" }, { ...client, refresh: 'r1' }),
    },
    {
      name: 'a session',
      ...login(
        session({
          request_body_json: { user: "{{ config['client'] }}", password: "{{ config['secret'] }}" },
        }),
        client,
      ),
    },
    {
      name: 'a session that logs in itself',
      ...login(
        session({
          authenticator: {
            type: 'BasicHttpAuthenticator',
            username: "{{ config['client'] }}",
            password: "{{ config['secret'] }}",
          },
        }),
        client,
      ),
    },
  ],
}
