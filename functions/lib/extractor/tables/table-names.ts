import { safeName } from '../values/php/safe-name.ts'
import { ITEMS, type StructureNode } from './structure-node.ts'

/**
 * Which table the items at a place in the JSON go to (docs/reference/extractor-tables.md#structure). A list inside of rows never takes
 * the name of a data type: whoever writes that table names its columns and its key.
 */
export class TableNames {
  readonly #ofTypes: ReadonlySet<string>
  readonly #warn: (message: string) => void
  readonly #said = new Set<string>()

  constructor(types: Iterable<string>, warn: (message: string) => void) {
    this.#ofTypes = new Set([...types].map(safeName))
    this.#warn = warn
  }

  of(items: StructureNode): string {
    const name = safeName(items.cleanPath)
    const isList = items.parent?.parent !== undefined && items.key === ITEMS
    return isList && this.#ofTypes.has(name)
      ? this.instead(items, name, other => this.#ofTypes.has(other))
      : name
  }

  /** The first free name of `name_2`, `name_3` and so on, which is said. */
  instead(items: StructureNode, name: string, isTaken: (name: string) => boolean): string {
    let number = 2
    while (isTaken(`${name}_${number}`)) number++
    const other = `${name}_${number}`
    this.#say(items, `go to the table '${other}': '${name}' has other columns`)
    return other
  }

  /** Generic Extractor writes them under the header of the others. */
  shared(items: StructureNode, name: string): string {
    this.#say(items, `are in the table '${name}', which has other columns ("compat")`)
    return name
  }

  #say({ cleanPath }: StructureNode, what: string): void {
    if (this.#said.has(cleanPath)) return
    this.#said.add(cleanPath)
    this.#warn(`The rows at '${cleanPath}' ${what}. Set another "dataType" to choose the names.`)
  }
}
