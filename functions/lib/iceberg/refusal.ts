/**
 * Something of an Iceberg table is broken, or of a kind that we do not read. The message is one sentence for a person
 * and names what is wrong.
 */
export class IcebergRefusal extends Error {
  override readonly name = 'IcebergRefusal'
}
