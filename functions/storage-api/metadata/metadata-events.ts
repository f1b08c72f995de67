import { cutText } from '../../lib/cut-text.ts'
import type { Metadatum, NewMetadatum } from '../../lib/storage/metadata/metadata-store.ts'

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
export const deletedFacts = ({ id, key }: Metadatum) => ({
  words: { metadataId: id, key },
  params: { metadataId: Number(id), key },
})
