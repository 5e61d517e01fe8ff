import { requestMembers } from '../exchange.js'
import { MemberLayer } from './member-layer.js'

/** What callbacks read, for Node's requests. Those of our own servers have it in their class. */
export const requestLayer: MemberLayer = new MemberLayer('request-members', requestMembers)
