import type { AgentOptions } from 'node:https'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { Agent as HttpAgent, request as httpRequest } from './node-http.ts'

/** Connections that stay open, by the protocol of an address: what sends a request, and the agent that it is to use. */
export const keptConnections = (limits: AgentOptions) => {
  const kept = { keepAlive: true, ...limits }
  const plain = { send: httpRequest, agent: new HttpAgent(kept) }
  const secure = { send: httpsRequest, agent: new HttpsAgent(kept) }
  return (protocol: string) => (protocol === 'https:' ? secure : plain)
}
