import { UserError } from '../../functions/lib/errors/errors.ts'
import { segment } from '../connect/options.ts'

/** A stored configuration, or a row of it. */
interface ConfigPlace {
  componentId: string
  configId: string
  rowId?: string
}

/** Reads `component/configuration` or `component/configuration/row`. */
export const parsePlace = (text: string): ConfigPlace => {
  const [componentId, configId, rowId, ...rest] = text.split('/')
  const isWhole = componentId && configId && rowId !== '' && rest.length === 0
  if (!isWhole)
    throw new UserError(
      'cli.usage',
      `"${text}" names no configuration. Write it like ex-generic-v2/shop, or ex-generic-v2/shop/ROW for a row.`,
    )
  return { componentId, configId, ...(rowId !== undefined && { rowId }) }
}

/** The path of the configuration below `/v2/storage/`. */
export const pathOfConfig = ({ componentId, configId }: ConfigPlace): string =>
  `components/${segment(componentId)}/configs/${segment(configId)}`

/** The path of the configuration, or of its row. */
export const pathOfPlace = (place: ConfigPlace): string =>
  place.rowId === undefined ? pathOfConfig(place) : `${pathOfConfig(place)}/rows/${segment(place.rowId)}`
