import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { StartedInstallation } from '../smoke/installation.ts'

/** Below it are the names of all services: `connection.…`, `queue.…`. */
export const STACK = 'millrace.localhost'

/**
 * Some clients in Python derive the hosts of services from the name of the API, and ask all of them at port 443. So the process is told, as
 * its machine's resolver would, that names below ours are this machine, and its port 443 the one that is served.
 */
const resolver = (port: string) => `
import socket

lookup, connect = socket.getaddrinfo, socket.socket.connect


def local_lookup(host, *given, **named):
    name = host.decode() if isinstance(host, bytes) else str(host)
    return lookup('127.0.0.1' if name.endswith('.${STACK}') else host, *given, **named)


def local_connect(self, address):
    return connect(self, ('127.0.0.1', ${port}) if address == ('127.0.0.1', 443) else address)


socket.getaddrinfo, socket.socket.connect = local_lookup, local_connect
`

/** Environment in which Python finds an installation, started with TLS under `STACK`, by its names, and trusts it. */
export const asOneStack = async (
  environment: NodeJS.ProcessEnv,
  { folder, tls, account }: StartedInstallation,
): Promise<NodeJS.ProcessEnv> => {
  const site = join(folder, 'site')
  await mkdir(site)
  await writeFile(join(site, 'sitecustomize.py'), resolver(new URL(tls?.api ?? '').port))
  return {
    ...environment,
    PYTHONPATH: [site, environment['PYTHONPATH']].join(delimiter),
    SSL_CERT_FILE: tls?.certificate,
    REQUESTS_CA_BUNDLE: tls?.certificate,
    AWS_ENDPOINT_URL_S3: String(account?.s3['endpoint']),
  }
}
