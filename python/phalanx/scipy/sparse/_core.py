from ..._phalanx.sparse import Rows
