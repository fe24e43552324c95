// JSON Pointers (RFC 6901).

/** The pointer from an object to one of its members. */
export function pointerTo(member: string): string {
  return `/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The member that a part of a pointer names, without the slash before it. */
export function memberOf(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
