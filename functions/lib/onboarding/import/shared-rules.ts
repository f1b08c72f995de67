import type { JsonObject } from '#lib/extractor/tables/json-value.ts'
import type { Report } from './report.ts'

/** Error rules of streams. Ours hold for all jobs, so a rule that not all streams have is reported. */
export class SharedRules {
  readonly #found = new Map<string, { rule: JsonObject; places: Map<string, string> }>()

  /** `place`: where the rule of the stream stands in the foreign configuration. */
  add(rule: JsonObject, stream: string, place: string): void {
    const key = JSON.stringify(rule)
    const { places } = this.#found.get(key) ?? { places: new Map<string, string>() }
    this.#found.set(key, { rule, places: places.set(stream, place) })
  }

  /** `streams`: how many there are. */
  of(streams: number, report: Report): JsonObject[] {
    return [...this.#found.values()].map(({ rule, places }) => {
      const [place] = places.values()
      if (place !== undefined && places.size < streams)
        report.lost(
          place,
          `${described(rule)} holds for all streams here, not only for ${places.size} of them`,
        )
      return rule
    })
  }
}

const described = ({ when, do: action }: JsonObject): string =>
  `the rule ${JSON.stringify(action)} for ${JSON.stringify(when)}`
