import { z } from 'zod'
import { cutText } from '../../lib/cut-text.ts'
import type { UserError } from '../../lib/errors/errors.ts'
import type { auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { Metadatum, NewMetadatum } from '../../lib/storage/metadata/metadata-store.ts'
import { metadatumBody } from '../../lib/wire/metadatum-body.ts'
import { recordEvent } from '../http/record-event.ts'
import type { Access } from '../http/rights.ts'
import { type Route, routesOf } from '../http/route.ts'
import type { RouteRequest } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import { metadataOf, type metadatumResource } from './metadata-resource.ts'
import { metadataFields, metadataNotFound, readMetadata, readProvider } from './read-metadata.ts'
import { storeMetadata } from './store-metadata.ts'

const MAX_ITEMS = 100
const MAX_VALUE = 200

/** What was set, for the event: an event is small, so long lists and values are cut and `isTruncated` says so. */
export const metadataParams = (given: readonly NewMetadatum[]) => {
  const isTruncated = given.length > MAX_ITEMS || given.some(({ value }) => value.length > MAX_VALUE)
  return {
    ...(given[0] && given[0].provider !== '' && { provider: given[0].provider }),
    metadata: given.slice(0, MAX_ITEMS).map(({ key, value }) => ({ key, value: cutText(value, MAX_VALUE) })),
    ...(isTruncated && { isTruncated }),
  }
}

/** The metadatum that was deleted, for the words and the params of the event. */
const deletedFacts = ({ id, key }: Metadatum) => ({
  words: { metadataId: id, key },
  params: { metadataId: Number(id), key },
})

type AuditEvent = ReturnType<typeof auditEvent>

type Asked<Params> = Omit<RouteRequest<Params, unknown, unknown>, 'query' | 'body'>

/** What has metadata, and in what its routes differ from those of the others. */
export interface MetadataOwner<Params, Found> {
  /** Of the list. */
  path: string
  /** Its name in the document. */
  kind: string
  /** Default: `a` and the kind. */
  inWords?: string
  /** What a 404 says is not there. Default: the kind. Null: it is always there. */
  missing?: string | null
  /** What a caller needs to change it. */
  access?: Access
  /** Metadata of branches and configurations have no provider: one that a client sends is passed over. */
  hasProvider: boolean
  find(request: Asked<Params>, services: Services): Promise<Found>
  /** As `find`, for a caller who is about to change it. Default: `find`. */
  findToChange?(request: Asked<Params>, services: Services): Promise<Found>
  subject(found: Found): string
  /** The column that the metadata are of. Default: they are of the whole. */
  column?(found: Found): string
  /** What the list is. Default: the metadata. */
  listReply?: string
  /** Default: all of the subject. */
  list?(found: Found, services: Services): Promise<ReturnType<typeof metadatumResource>[]>
  /** Default: a route of its own sets them. */
  setEvent?(
    found: Found,
    given: ReturnType<typeof metadataParams>,
    request: Asked<Params>,
    services: Services,
  ): AuditEvent | Promise<AuditEvent>
  deletedEvent(
    found: Found,
    facts: ReturnType<typeof deletedFacts>,
    request: Asked<Params>,
    services: Services,
  ): AuditEvent | Promise<AuditEvent>
  /** Replies of a delete besides 204 and 404. */
  deleteReplies?: Record<number, string>
  /** Throws when none of this provider may be set. Default: each may. */
  refuseSet?(found: Found, provider: string): void
  /** Notes on what has the metadata that some were set. */
  wasSet?(found: Found, services: Services): Promise<unknown>
  /** Throws when this one may not be deleted. Default: each may. */
  refuseDelete?(found: Found, metadataId: string, request: Asked<Params>): void
  /** Default: 404 `storage.metadata.notFound`. */
  notFound?(metadataId: string, found: Found, request: Asked<Params>): UserError
}

const reply = z.array(metadatumBody)

// The router has matched the path of the owner, which has these parameters.
const asked = <Params>(request: Asked<object>) => request as Asked<Params>

const listOf = <Params, Found>(owner: MetadataOwner<Params, Found>, found: Found, services: Services) =>
  owner.list?.(found, services) ?? metadataOf(services, owner.subject(found))

const isMissing = ({
  kind,
  missing = kind,
}: Pick<MetadataOwner<never, never>, 'kind' | 'missing'>): Record<number, string> =>
  missing === null ? {} : { 404: `There is no such ${missing}` }

/** Lists, sets and deletes. */
export const metadataRoutesOf = <Params, Found>(owner: MetadataOwner<Params, Found>): readonly Route[] => {
  const routes = routesOf('metadata')
  const { path, kind, inWords = `a ${kind}` } = owner
  const access = owner.access && { access: owner.access }

  const findToChange = (request: Asked<Params>, services: Services): Promise<Found> =>
    (owner.findToChange ?? owner.find)(request, services)

  routes.delete(`${path}/{metadataId}`, {
    ...access,
    summary: `Delete a metadatum of ${inWords}`,
    replies: {
      204: 'Deleted',
      404: `There is no such ${owner.missing === null ? '' : `${kind} or `}metadatum`,
      ...owner.deleteReplies,
    },
    handle: async (sent, services) => {
      const request = asked<Params & { metadataId: string }>(sent)
      const { metadataId } = request.params
      const found = await findToChange(request, services)
      owner.refuseDelete?.(found, metadataId, request)
      const deleted = await services.metadata.delete(owner.subject(found), metadataId, owner.column?.(found))
      if (!deleted) throw owner.notFound?.(metadataId, found, request) ?? metadataNotFound()
      const event = await owner.deletedEvent(found, deletedFacts(deleted), request, services)
      await recordEvent(sent, services, event)
    },
  })

  routes.get(path, {
    summary: `List the metadata of ${inWords}`,
    replies: { 200: owner.listReply ?? 'The metadata', ...isMissing(owner) },
    reply,
    handle: async (request, services) => listOf(owner, await owner.find(asked(request), services), services),
  })

  if (!owner.setEvent) return routes.list
  const { setEvent } = owner
  routes.post(path, {
    ...access,
    summary: `Set metadata of ${inWords}`,
    body: z.object(metadataFields),
    replies: { 201: `All metadata of the ${kind}`, 400: '`storage.metadata.…`', ...isMissing(owner) },
    reply,
    handle: async (sent, services) => {
      const request = asked<Params>(sent)
      const found = await findToChange(request, services)
      const provider = owner.hasProvider ? readProvider(sent.body.provider) : ''
      owner.refuseSet?.(found, provider)
      const given: NewMetadatum[] = readMetadata(sent.body.metadata, {
        provider,
        column: owner.column?.(found) ?? '',
      })
      await storeMetadata(services, owner.subject(found), given)
      await owner.wasSet?.(found, services)
      const event = await setEvent(found, metadataParams(given), request, services)
      await recordEvent(sent, services, event)
      return listOf(owner, found, services)
    },
  })
  return routes.list
}
