(** A second lowering of kernels in index notation: tiles of lanes.

    [Lower] computes one element of the output after the other. Here a block of neighbouring
    elements, the tile, is accumulated at once: the loops of the sum are outside, and for each of
    their iterations every element of the tile receives its term. Every element still adds the
    same terms in the same order. Axes may be split where conditions change, so that in the
    inside neither a condition nor the bounds of a tensor have to be looked at. Which axes are
    split and tiled is data, a [plan]; no plan is wrong, as far as [plan_ok] accepts it. Mirrored
    by src/certify/index_tile.cpp.

    [iterm_at] ..  terms with index variables replaced
    [trim]         a condition without what always holds
    [lane_maps]    one term for every element of a tile
    [tile_fold]    the sum over the loops, the tile as accumulator
    [plan]         what to do with the axes of the output, from the first to the last
    [tiled]        the whole kernel, a plan for its output *)

From Coq Require Import Arith ZArith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Check index.Kernel index.Lower.
Import ListNotations.

Definition insert {A : Type} (c : nat) (x : A) (l : list A) : list A :=
  firstn c l ++ x :: skipn c l.

(** Under one more index variable, number c. *)
Fixpoint iterm_lift (c : nat) (t : iterm) : iterm :=
  match t with
  | IVar i => IVar (if i <? c then i else S i)
  | ICon z => ICon z
  | ISize s => ISize s
  | IAdd a b => IAdd (iterm_lift c a) (iterm_lift c b)
  | IScale z a => IScale z (iterm_lift c a)
  | IDiv a m => IDiv (iterm_lift c a) m
  | IMod a m => IMod (iterm_lift c a) m
  end.

Definition with_var (c : nat) (st : list iterm) : list iterm :=
  IVar c :: map (iterm_lift c) st.

(** [st]: what stands for each index variable. *)
Fixpoint iterm_at (st : list iterm) (t : iterm) : iterm :=
  match t with
  | IVar i => nth i st (ICon 0)
  | ICon z => ICon z
  | ISize s => ISize s
  | IAdd a b => IAdd (iterm_at st a) (iterm_at st b)
  | IScale z a => IScale z (iterm_at st a)
  | IDiv a m => IDiv (iterm_at st a) m
  | IMod a m => IMod (iterm_at st a) m
  end.

Fixpoint icond_at (st : list iterm) (c : icond) : icond :=
  match c with
  | CTrue => CTrue
  | CLe a b => CLe (iterm_at st a) (iterm_at st b)
  | CEq a b => CEq (iterm_at st a) (iterm_at st b)
  | CAnd d e => CAnd (icond_at st d) (icond_at st e)
  | COr d e => COr (icond_at st d) (icond_at st e)
  | CNot d => CNot (icond_at st d)
  end.

Fixpoint ibody_at (st : list iterm) (b : ibody) : ibody :=
  match b with
  | BCon c => BCon c
  | BRead t s => BRead t (map (fun p => (iterm_at st (fst p), snd p)) s)
  | BOp1 o a => BOp1 o (ibody_at st a)
  | BOp2 o a c => BOp2 o (ibody_at st a) (ibody_at st c)
  | BOp3 o a c e => BOp3 o (ibody_at st a) (ibody_at st c) (ibody_at st e)
  | BIf g a c => BIf (icond_at st g) (ibody_at st a) (ibody_at st c)
  end.

(** Under m loops. *)
Fixpoint with_vars (m : nat) (st : list iterm) : list iterm :=
  match m with
  | 0 => st
  | S m => with_vars m (with_var 0 st)
  end.

Definition summand_at (st : list iterm) (s : summand) : summand :=
  let inner := with_vars (length (su_loops s)) st in
  {| su_loops := su_loops s; su_cond := icond_at inner (su_cond s);
     su_body := ibody_at inner (su_body s) |}.

Section FACTS.
  Context (facts : list fact).

  (** a <= b, whatever the index variables. *)
  Definition surely_le (X : list size) (a b : iterm) : bool :=
    let (p1, q1) := lower_term X a in
    let (p2, q2) := lower_term X b in
    ixe_ok facts X (XSub (xadd p2 q1) (xadd p1 q2)).

  Fixpoint trim (X : list size) (c : icond) : icond :=
    match c with
    | CLe a b => if surely_le X a b then CTrue else c
    | CAnd d e =>
        match trim X d, trim X e with
        | CTrue, e1 => e1
        | d1, CTrue => d1
        | d1, e1 => CAnd d1 e1
        end
    | _ => c
    end.

  (** One term, added to the accumulator, data variable a. *)
  Definition lane_step (X : list size) (d a : nat) (c : icond) (b : ibody) : exp :=
    let more := EBin Add (EVar a) (lower_body facts X d b) in
    match trim X c with
    | CTrue => more
    | c1 => EIf (lower_cond X c1) more (EVar a)
    end.

  (** For every element of a tile, whose extents are given from the outermost on. *)
  Fixpoint lane_maps (X : list size) (lanes : list size) (d a : nat) (c : icond) (b : ibody)
    : exp :=
    match lanes with
    | [] => lane_step X d a c b
    | n :: more =>
        EMap (match more with [] => Vec | _ => Unr end) n (array_ty more) (array_ty more)
          (lane_maps (n :: X) more (S d) 0 c b) (EVar a)
    end.

  (** [lanes]: extents of the tile, from the innermost on. What [st] refers to: the positions in
      the tile, then the loops around. *)
  Fixpoint tile_fold (w : place) (X lanes : list size) (st : list iterm) (d : nat)
      (loops : list size) (c : icond) (b : ibody) (start : exp) : exp :=
    match loops with
    | [] => start
    | n :: inner =>
        let st1 := with_var (length lanes) st in
        let f :=
          match inner with
          | [] => lane_maps (n :: X) (rev lanes) (d + 2) 1 (icond_at st1 c) (ibody_at st1 b)
          | _ => tile_fold Into (n :: X) lanes st1 (d + 2) inner c b (EVar 1)
          end in
        ERed w n TNum (array_ty (rev lanes)) f start (zeros n)
    end.

  Definition tile (X lanes : list size) (st : list iterm) (d : nat) (l : list summand) : exp :=
    match l with
    | [{| su_loops := n :: inner; su_cond := c; su_body := b |}] =>
        tile_fold Fresh X lanes st d (n :: inner) c b (ECst (array_ty (rev lanes)) zero)
    | _ => lower_axes facts Seq X d (rev lanes) (map (summand_at st) l)
    end.
End FACTS.

(** From the first axis that is left to the last:
<<
    PLeaf              no axis is left
    PEach k n p        the n positions of the axis, one by one
    PTiles k m w c p   m times w positions; w of them are an axis of the tile, with c others
                       further inside
    PSplit n m p q     the first n positions as p says, then m as q says
>> *)
Inductive plan : Type :=
| PLeaf
| PEach (k : kind) (n : size) (p : plan)
| PTiles (k : kind) (m w : N) (c : nat) (p : plan)
| PSplit (n m : N) (p q : plan).

(** [extents]: those that are left; [lanes]: how many axes the tile has. *)
Fixpoint plan_ok (p : plan) (extents : list size) (lanes : nat) : bool :=
  match p, extents with
  | PLeaf, [] => true
  | PEach _ n q, e :: more => (if size_eq_dec n e then true else false) && plan_ok q more lanes
  | PTiles _ m w c q, SConst e :: more =>
      N.eqb (m * w) e && negb (N.eqb w 0) && (c <=? lanes) && plan_ok q more (S lanes)
  | PSplit n m q r, SConst e :: more =>
      N.eqb (n + m) e && plan_ok q (SConst n :: more) lanes && plan_ok r (SConst m :: more) lanes
  | _, _ => false
  end.

Fixpoint each (m : nat) (l : lay) : lay :=
  match m with
  | 0 => l
  | S m => LMap (each m l)
  end.

(** The axis after m + d others, moved to after m. *)
Fixpoint to_front (m d : nat) (e : exp) : exp :=
  match d with
  | 0 => e
  | S d => ELay (each m LTrans) (to_front (S m) d e)
  end.

(** Position lo of the axis is the first of the plan. *)
Fixpoint planned (facts : list fact) (p : plan) (extents : list size) (lo : N)
    (X lanes : list size) (st : list iterm) (d : nat) (l : list summand) : exp :=
  let here := length lanes in
  let rest := tl extents in
  let ty := array_ty (rest ++ rev lanes) in
  match p with
  | PLeaf => tile facts X lanes st d l
  | PEach k n q =>
      let position := IAdd (IVar here) (ICon (Z.of_N lo)) in
      EMap k n TNum ty
        (planned facts q rest 0 (n :: X) lanes (position :: map (iterm_lift here) st) (S d) l)
        (zeros n)
  | PTiles k m w c q =>
      let block := IAdd (IScale (Z.of_N w) (IVar (S here))) (IVar c) in
      let position := IAdd block (ICon (Z.of_N lo)) in
      let st1 := position :: map (fun t => iterm_lift c (iterm_lift here t)) st in
      ELay (LJoin (SConst w) (SConst m))
        (EMap k (SConst m) TNum (TAry (SConst w) ty)
          (to_front 0 (length rest + (here - c))
            (planned facts q rest 0 (SConst m :: X) (insert c (SConst w) lanes) st1 (S d) l))
          (zeros (SConst m)))
  | PSplit n m q r =>
      ECat (SConst n) (SConst m) ty
        (planned facts q (SConst n :: rest) lo X lanes st d l)
        (planned facts r (SConst m :: rest) (lo + n) X lanes st d l)
  end.

Definition tiled_statement (facts : list fact) (p : plan) (s : statement) : exp :=
  planned facts p (st_extents s) 0 [] [] [] 0 (st_summands s).

Fixpoint tiled_locals (facts : list fact) (p : plan) (l : list statement) (last : statement) : exp :=
  match l with
  | [] => tiled_statement facts p last
  | s :: more =>
      ELet (EMem (array_ty (st_extents s)) (lower_statement facts s)) (tiled_locals facts p more last)
  end.

Definition tiled (p : plan) (k : ikernel) : exp :=
  tiled_locals (ik_facts k) p (ik_locals k) (ik_output k).

Definition plan_fits (p : plan) (k : ikernel) : bool := plan_ok p (st_extents (ik_output k)) 0.
