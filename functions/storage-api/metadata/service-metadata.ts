import { UserError } from '../../lib/errors/errors.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { SERVICE_PROVIDER, typeMetadata } from '../../lib/storage/tables/type-metadata.ts'
import { isTypedTable } from '../../lib/table-engine/files/snapshot.ts'

const refusal = (verb: 'edited' | 'deleted'): UserError =>
  new UserError(
    'storage.metadata.invalidProvider',
    `Metadata with "${SERVICE_PROVIDER}" provider cannot be ${verb} by user.`,
    { status: 403 },
  )

/** Error: 403 `storage.metadata.invalidProvider` for the provider of what the service says itself of a typed table. */
export const refuseServiceProvider = ({ snapshot }: TableHead, provider: string): void => {
  if (provider === SERVICE_PROVIDER && isTypedTable(snapshot)) throw refusal('edited')
}

/** Error: 403 `storage.metadata.invalidProvider` for an item that follows from the types of the table. */
export const refuseServiceMetadatum = (table: TableHead, id: string): void => {
  if (typeMetadata(table).some(each => each.id === id)) throw refusal('deleted')
}
