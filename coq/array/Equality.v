(** Equality of constants and operations is decided.

    [const_eq_dec] [uop_eq_dec] [bop_eq_dec] [top_eq_dec] *)

From Coq Require Import ZArith Bool.
From Vouch Require Import array.Syntax.

Definition const_eq_dec (a b : const) : {a = b} + {a <> b}.
Proof. decide equality; [apply Z.eq_dec | apply Z.eq_dec | apply bool_dec]. Defined.

Definition uop_eq_dec (a b : uop) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

Definition bop_eq_dec (a b : bop) : {a = b} + {a <> b}.
Proof. decide equality. Defined.

Definition top_eq_dec (a b : top) : {a = b} + {a <> b}.
Proof. decide equality. Defined.
