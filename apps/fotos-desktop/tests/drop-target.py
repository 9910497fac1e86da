"""A program things are dragged into: says what it got, as one line of JSON for each drop."""

import json
import sys
import urllib.parse
import urllib.request

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402


def received(_widget, _context, _x, _y, data, _info, _time):
    uris = data.get_uris()
    sizes = []
    for uri in uris:
        with open(urllib.request.url2pathname(urllib.parse.urlparse(uri).path), "rb") as file:
            sizes.append(len(file.read()))
    print(json.dumps({"uris": uris, "sizes": sizes}), flush=True)


window = Gtk.Window(title="Drop target")
window.set_default_size(260, 200)
window.drag_dest_set(Gtk.DestDefaults.ALL, [Gtk.TargetEntry.new("text/uri-list", 0, 0)], Gdk.DragAction.COPY)
window.connect("drag-data-received", received)
window.connect("destroy", Gtk.main_quit)
window.show_all()
window.move(int(sys.argv[1]), int(sys.argv[2]))
Gtk.main()
