import type { StorageService } from '#support/storage-service.ts'

/** Requests to the catalog of a service, with the master token unless another is given. */
export const createCatalogClient = (service: StorageService) => {
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    service.fetchReply(
      new Request(`http://storage.test/iceberg/v1/${path}`, {
        method,
        headers: { authorization: `Bearer ${service.token}`, ...headers },
      }),
    )
  return {
    get,
    send: (method: string, path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
      service.fetchReply(
        new Request(`http://storage.test/iceberg/v1/${path}`, {
          method,
          headers: {
            authorization: `Bearer ${service.token}`,
            'content-type': 'application/json',
            ...headers,
          },
          body: JSON.stringify(body),
        }),
      ),
    oauth: (form: Record<string, string>, headers: Record<string, string> = {}) =>
      service.fetchReply(
        new Request('http://storage.test/iceberg/v1/oauth/tokens', {
          method: 'POST',
          headers,
          body: new URLSearchParams(form),
        }),
      ),
    bearer: (token: string) => ({ authorization: `Bearer ${token}` }),
    delegated: { 'x-iceberg-access-delegation': 'vended-credentials' },
  }
}
