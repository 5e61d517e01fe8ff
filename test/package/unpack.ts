import { rmSync } from 'node:fs'

export default function unpack(): void {
  rmSync(process.env.PACKED_IN!, { recursive: true, force: true })
}
